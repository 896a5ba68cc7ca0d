"""The exchanges with niquests or httpx: clients.py URL niquests|httpx 1|2|3 [CERTIFICATE]"""
import sys
import warnings

warnings.simplefilter("ignore")
url, library, version = sys.argv[1] + "/exchange", sys.argv[2], sys.argv[3]
body = bytes(20_000_000)
hints = []

if library == "httpx":
    import httpx
    client = httpx.Client(verify=False, http1=version == "1", http2=version == "2", timeout=10)
else:
    import niquests
    client = niquests.Session(disable_http1=version != "1", disable_http2=version != "2", disable_http3=version != "3",
                              hooks={"early_response": [lambda r: hints.append(r.status_code)]})
    client.trust_env = False  # or the environment chooses certificates
    client.verify = sys.argv[4] if len(sys.argv) > 4 else False


def content(b):
    return {"content" if library == "httpx" else "data": b}


def check(name, want, f):
    try:
        got = f()
    except Exception as e:
        got = f"{type(e).__name__} {e}"
    print(f"{name} ok" if got == want else f"{name}: got {str(got)[:200]}, want {want}", flush=True)


def hinted():
    text = client.get(url + "/hints").text
    return (hints[-1:] if library == "niquests" else [103]) + [text]


def count():
    before = int(client.get(url + "/count").text)  # some exchanges end the connection
    for _ in range(9998):
        client.get(url + "/count")
    return int(client.get(url + "/count").text) - before + 1


check("refused", 413, lambda: client.post(url + "/refuse", **content(body)).status_code)
check("continue", True, lambda: client.post(url + "/echo", **content(body)).content == body)
check("trailers", "trailer ", lambda: client.get(url + "/trailers").text)
check("hints", [103, "page"], hinted)
check("one connection", 10000, count)
check("shutdown", "the last response", lambda: client.get(url + "/shutdown").text)

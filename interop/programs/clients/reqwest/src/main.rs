//! The exchanges with reqwest: exchanges URL 1|2
use reqwest::blocking::{Client, Response};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn check<T: PartialEq + std::fmt::Debug>(name: &str, want: T, got: Result<T>) {
    match got {
        Ok(got) if got == want => println!("{name} ok"),
        got => println!("{name}: got {got:?}, want {want:?}"),
    }
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let builder = Client::builder().danger_accept_invalid_certs(true).pool_max_idle_per_host(1);
    let client = if args[2] == "1" { builder.http1_only() } else { builder }.build()?;
    let url = format!("{}/exchange", args[1]);
    let body = vec![0u8; 20_000_000];
    let get = |path: &str| -> Result<Response> { Ok(client.get(format!("{url}{path}")).send()?) };
    let post = |path: &str| -> Result<Response> { Ok(client.post(format!("{url}{path}")).body(body.clone()).send()?) };
    let count = || -> Result<u64> { Ok(get("/count")?.text()?.parse()?) };

    check("refused", 413, post("/refuse").map(|r| r.status().as_u16()));
    check("continue", true, post("/echo").and_then(|r| Ok(r.bytes()? == body)));
    check("trailers", "trailer ".to_string(), get("/trailers").and_then(|r| Ok(r.text()?)));
    check("hints", "page".to_string(), get("/hints").and_then(|r| Ok(r.text()?)));
    let all = || -> Result<u64> {
        let before = count()?; // some exchanges end the connection
        for _ in 1..9999 {
            count()?;
        }
        Ok(count()? - before + 1)
    };
    check("one connection", 10000, all());
    check("shutdown", "the last response".to_string(), get("/shutdown").and_then(|r| Ok(r.text()?)));
    Ok(())
}

// The same work as plainHandler's, on hyper: on one thread, with hyper's and rustls's
// defaults.
//
//	hyper-server ADDRESS http1|http2 DIRECTORY [CERTIFICATE KEY]
//	hyper-server ADDRESS conform
//
// The files of the directory are the bodies of responses. The second form does what
// the handler of package conform does.

use std::{convert::Infallible, env, fs, io, sync::Arc};

use http_body_util::{combinators::BoxBody, BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, CONTENT_TYPE};
use hyper::{server::conn, service::service_fn, Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls_pki_types::{pem::PemObject, CertificateDer, PrivateKeyDer};
use tokio::{io::{AsyncRead, AsyncWrite}, net::TcpListener};
use tokio_rustls::{rustls::ServerConfig, TlsAcceptor};

struct Pages {
    hello: Bytes,
    json: Bytes,
    download: Bytes,
}

fn response(kind: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut r = Response::new(Full::new(body));
    r.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    r
}

async fn handle(r: Request<Incoming>, pages: Arc<Pages>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    Ok(match (r.method(), r.uri().path()) {
        (&Method::GET, "/hello") => response("text/plain; charset=utf-8", pages.hello.clone()),
        (&Method::GET, "/json") => response("application/json", pages.json.clone()),
        (&Method::GET, "/download") => response("application/octet-stream", pages.download.clone()),
        (&Method::POST, "/echo") => response("application/octet-stream", r.into_body().collect().await?.to_bytes()),
        (&Method::GET, path) => match path.strip_prefix("/some/page/") {
            Some(id) => response("text/plain; charset=utf-8", Bytes::copy_from_slice(id.as_bytes())),
            None => not_found(),
        },
        _ => not_found(),
    })
}

fn not_found() -> Response<Full<Bytes>> {
    let mut r = response("text/plain; charset=utf-8", Bytes::new());
    *r.status_mut() = StatusCode::NOT_FOUND;
    r
}

async fn conform(r: Request<Incoming>) -> Result<Response<BoxBody<Bytes, Infallible>>, Infallible> {
    let field = |name: &str| r.headers().get_all(name).iter().map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned()).collect::<Vec<_>>();
    let (method, uri, path) = (r.method().clone(), r.uri().to_string(), r.uri().path().to_string());
    let host = r.uri().authority().map_or_else(|| field("host").concat(), |a| a.to_string());
    let x = field("x");
    let mut response = Response::new(Full::default().boxed());
    let body = match r.into_body().collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => {
            *response.status_mut() = StatusCode::BAD_REQUEST;
            return Ok(response);
        }
    };
    let mut text = format!("method={method}; uri={uri}; host={host}; body={};", String::from_utf8_lossy(&body));
    if !x.is_empty() {
        text += &format!(" X={};", x.join(","));
    }
    match path.as_str() {
        "/probe" => drop(response.headers_mut().insert("x-probe", HeaderValue::from_static("served"))),
        "/close" => drop(response.headers_mut().insert("connection", HeaderValue::from_static("close"))),
        "/204" | "/304" | "/404" => {
            *response.status_mut() = StatusCode::from_bytes(path[1..].as_bytes()).unwrap();
            text = "xxx".into();
        }
        "/big" => text = "x".repeat(3000),
        "/flush" => {
            text = "xxx".into();
            *response.body_mut() = Full::from(text).map_frame(|f| f).boxed(); // of unknown length
            return Ok(response);
        }
        _ => {}
    }
    *response.body_mut() = Full::from(text).boxed();
    Ok(response)
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin + 'static + Send>(stream: S, http2: bool, pages: Arc<Pages>) {
    let service = service_fn(move |r| handle(r, pages.clone()));
    let io = TokioIo::new(stream);
    let _ = match http2 {
        true => conn::http2::Builder::new(TokioExecutor::new()).serve_connection(io, service).await,
        false => conn::http1::Builder::new().pipeline_flush(true).serve_connection(io, service).await,
    };
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<Infallible> {
    let args: Vec<String> = env::args().collect();
    let http2 = args[2] == "http2";
    if args[2] == "conform" {
        let listener = TcpListener::bind(&args[1]).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            tokio::spawn(conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(conform)));
        }
    }
    let page = |name: &str| fs::read(format!("{}/{name}", args[3])).map(Bytes::from);
    let pages = Arc::new(Pages { hello: page("hello")?, json: page("json")?, download: page("download")? });
    let tls = args.get(4).map(|_| {
        let certificates = CertificateDer::pem_file_iter(&args[4]).unwrap().collect::<Result<_, _>>().unwrap();
        let key = PrivateKeyDer::from_pem_file(&args[5]).unwrap();
        let mut config = ServerConfig::builder().with_no_client_auth().with_single_cert(certificates, key).unwrap();
        config.alpn_protocols = vec![if http2 { b"h2".to_vec() } else { b"http/1.1".to_vec() }];
        TlsAcceptor::from(Arc::new(config))
    });
    let listener = TcpListener::bind(&args[1]).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let (tls, pages) = (tls.clone(), pages.clone());
        tokio::spawn(async move {
            match tls {
                None => serve(stream, http2, pages).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        serve(stream, http2, pages).await
                    }
                }
            }
        });
    }
}

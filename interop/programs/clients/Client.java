// The exchanges with Java's HttpClient: java Client.java URL 1 or 2
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

class Client {
	static HttpClient client;
	static String url;
	static final byte[] body = new byte[20_000_000];

	static void check(String name, Object want, Callable<Object> f) {
		Object got;
		try {
			got = f.call();
		} catch (Exception e) {
			got = e;
		}
		System.out.println(want.equals(got) ? name + " ok" : name + ": got " + got + ", want " + want);
	}

	static HttpResponse<byte[]> ask(String path, boolean post, boolean expect) throws Exception {
		var request = HttpRequest.newBuilder(URI.create(url + path)).expectContinue(expect).timeout(Duration.ofSeconds(10));
		if (post) {
			request.POST(BodyPublishers.ofByteArray(body));
		}
		return client.send(request.build(), BodyHandlers.ofByteArray());
	}

	static String get(String path) throws Exception { return new String(ask(path, false, false).body()); }

	public static void main(String[] args) throws Exception {
		var trust = new X509TrustManager() {
			public void checkClientTrusted(X509Certificate[] chain, String type) {}
			public void checkServerTrusted(X509Certificate[] chain, String type) {}
			public X509Certificate[] getAcceptedIssuers() { return new X509Certificate[0]; }
		};
		var tls = SSLContext.getInstance("TLS");
		tls.init(null, new TrustManager[] {trust}, new SecureRandom());
		client = HttpClient.newBuilder().sslContext(tls).version(args[1].equals("2") ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1).build();
		url = args[0] + "/exchange";
		check("refused", 413, () -> ask("/refuse", true, false).statusCode());
		check("continue", true, () -> Arrays.equals(body, ask("/echo", true, true).body()));
		check("trailers", "trailer ", () -> get("/trailers"));
		check("one connection", 10000, () -> {
			int before = Integer.parseInt(get("/count")); // some exchanges end the connection
			for (int i = 1; i < 9999; i++) {
				get("/count");
			}
			return Integer.parseInt(get("/count")) - before + 1;
		});
		check("hints", "page", () -> get("/hints"));
		check("shutdown", "the last response", () -> get("/shutdown"));
		System.exit(0);
	}
}

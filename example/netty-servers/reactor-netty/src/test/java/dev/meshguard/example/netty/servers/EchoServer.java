package dev.meshguard.example.netty.servers;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;

/** An HTTP server and its client, on the event loops that Reactor Netty shares in a process. */
final class EchoServer {

    private final List<ByteBuf> kept = new CopyOnWriteArrayList<>();

    private final DisposableServer server = HttpServer.create()
            .port(0)
            .route(routes -> routes.post(
                            "/echo",
                            (request, response) -> response.send(request.receive().retain()))
                    .post(
                            "/keep",
                            (request, response) -> response.send(
                                    request.receive().retain().doOnNext(body -> kept.add(body.retain())))))
            .bindNow();

    private final HttpClient client = HttpClient.create().port(server.port());

    String echo(String text) {
        return post("/echo", text);
    }

    void keep(String text) {
        post("/keep", text);
    }

    private String post(String path, String text) {
        return client.post()
                .uri(path)
                .send((request, body) -> body.sendString(Mono.just(text)))
                .responseContent()
                .aggregate()
                .asString()
                .block();
    }

    void stop() {
        server.disposeNow();
    }
}

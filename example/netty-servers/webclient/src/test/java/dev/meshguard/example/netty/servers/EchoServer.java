package dev.meshguard.example.netty.servers;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClient.ResponseSpec;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** An HTTP server and a WebClient, on the event loops and the pool of connections that Reactor Netty shares in a process. */
final class EchoServer {

    private final List<DataBuffer> kept = new CopyOnWriteArrayList<>();

    private final DisposableServer server = HttpServer.create()
            .port(0)
            .route(routes -> routes.post(
                    "/echo",
                    (request, response) -> response.send(request.receive().retain())))
            .bindNow();

    private final WebClient client = WebClient.create("http://localhost:" + server.port());

    String echo(String text) {
        return response(text).bodyToMono(String.class).block();
    }

    /** Keeps the buffer with the answer. {@code DataBufferUtils.release} would have to release it. */
    void keep(String text) {
        kept.add(response(text).bodyToMono(DataBuffer.class).block());
    }

    private ResponseSpec response(String text) {
        return client.post().uri("/echo").bodyValue(text).retrieve();
    }

    void stop() {
        server.disposeNow();
    }
}

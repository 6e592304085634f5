package dev.meshguard.example.netty.servers;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.VertxInternal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** An HTTP server and its client, on the event loops of one Vert.x. */
final class EchoServer {

    private final List<ByteBuf> kept = new CopyOnWriteArrayList<>();

    private final Vertx vertx = Vertx.vertx();
    private final HttpServer server;
    private final HttpClient client = vertx.createHttpClient();

    EchoServer() throws Exception {
        server = vertx.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> answer(request, body)))
                .listen(0)
                .await(30, TimeUnit.SECONDS);
    }

    private void answer(HttpServerRequest request, Buffer body) {
        if (request.path().equals("/keep")) {
            kept.add(PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(body.getBytes()));
        }
        request.response().end(body);
    }

    String echo(String text) throws Exception {
        return post("/echo", text);
    }

    void keep(String text) throws Exception {
        post("/keep", text);
    }

    private String post(String path, String text) throws Exception {
        Promise<Buffer> answer = Promise.promise();
        vertx.runOnContext(started -> client.request(HttpMethod.POST, server.actualPort(), "localhost", path)
                .compose(request -> request.send(Buffer.buffer(text)))
                .compose(HttpClientResponse::body)
                .onComplete(answer));
        return answer.future().await(30, TimeUnit.SECONDS).toString();
    }

    /** Returns the event loops of the Vert.x. */
    EventLoopGroup eventLoops() {
        return ((VertxInternal) vertx).nettyEventLoopGroup();
    }

    void stop() throws Exception {
        vertx.close().await(30, TimeUnit.SECONDS);
    }
}

package dev.meshguard.example.netty.servers;

import io.grpc.CallOptions;
import io.grpc.Detachable;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A service and its client, on the event loops that gRPC shares in a process. */
final class EchoServer {

    private final List<InputStream> kept = new CopyOnWriteArrayList<>();

    private final MethodDescriptor<String, String> echo = method("echo", new Text());
    private final MethodDescriptor<String, String> keep = method("keep", new TextParsedLater());

    private final Server server;
    private final ManagedChannel channel;

    EchoServer() throws IOException {
        ServerCallHandler<String, String> answer = ServerCalls.asyncUnaryCall((text, response) -> {
            response.onNext(text);
            response.onCompleted();
        });
        server = NettyServerBuilder.forPort(0)
                .addService(ServerServiceDefinition.builder("example.Echo")
                        .addMethod(echo, answer)
                        .addMethod(keep, answer)
                        .build())
                .build()
                .start();
        channel = NettyChannelBuilder.forAddress("localhost", server.getPort())
                .usePlaintext()
                .build();
    }

    private static MethodDescriptor<String, String> method(String name, MethodDescriptor.Marshaller<String> request) {
        return MethodDescriptor.<String, String>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName("example.Echo/" + name)
                .setRequestMarshaller(request)
                .setResponseMarshaller(new Text())
                .build();
    }

    String echo(String text) {
        return ClientCalls.blockingUnaryCall(channel, echo, CallOptions.DEFAULT, text);
    }

    void keep(String text) {
        ClientCalls.blockingUnaryCall(channel, keep, CallOptions.DEFAULT, text);
    }

    void stop() throws InterruptedException {
        channel.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
        server.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
    }

    private static class Text implements MethodDescriptor.Marshaller<String> {

        @Override
        public InputStream stream(String text) {
            return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream message) {
            try {
                return new String(message.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }
    }

    /** Takes over the buffers of a message, as marshallers do that copy nothing. It would have to close the stream. */
    private final class TextParsedLater extends Text {

        @Override
        public String parse(InputStream message) {
            kept.add(((Detachable) message).detach());
            return "kept";
        }
    }
}

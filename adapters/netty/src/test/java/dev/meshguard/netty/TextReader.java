package dev.meshguard.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import java.util.ArrayList;
import java.util.List;

/** Retains what it only reads, as in issue 10739 of Netty. */
final class TextReader extends SimpleChannelInboundHandler<TextWebSocketFrame> {

    private final List<String> texts = new ArrayList<>();

    // region: retain
    @Override
    protected void channelRead0(ChannelHandlerContext context, TextWebSocketFrame frame) {
        texts.add(frame.retain().text());
    }
    // end region

    List<String> texts() {
        return texts;
    }
}

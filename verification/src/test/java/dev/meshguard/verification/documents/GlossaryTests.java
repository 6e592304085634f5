package dev.meshguard.verification.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The picture of the concepts shows words that the glossary explains. */
class GlossaryTests {

    private static final Path DOCS = DocumentationPage.ROOT.resolve("docs");

    @Test
    void thePictureNamesTheConcepts() throws Exception {
        Set<String> names =
                namesInPicture().map(name -> name.replaceAll(" \\d+$", "")).collect(Collectors.toSet());

        assertThat(names)
                .containsExactlyInAnyOrder(
                        "bank",
                        "buffer",
                        "device",
                        "generation",
                        "mesh",
                        "program cache",
                        "report",
                        "tracker",
                        "verdict",
                        "view",
                        "witness");
        assertThat(explained()).containsAll(names);
    }

    @Test
    void eachWordIsExplainedOnce() {
        assertThat(explained()).doesNotHaveDuplicates();
    }

    private static List<String> explained() {
        return DocumentationPage.of(DOCS.resolve("glossary.md")).lines().stream()
                .filter(line -> line.matches("\\| [a-z].*"))
                .map(line -> line.split("\\|", -1)[1].strip())
                .filter(word -> !word.equals("word"))
                .toList();
    }

    private static Stream<String> namesInPicture() throws IOException, ParserConfigurationException, SAXException {
        NodeList texts = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(DOCS.resolve("images/concepts.svg").toFile())
                .getElementsByTagName("text");
        List<String> names = new ArrayList<>();
        for (int index = 0; index < texts.getLength(); index++) {
            Element text = (Element) texts.item(index);
            if (text.getAttribute("class").endsWith("name")) {
                names.add(text.getTextContent());
            }
        }
        return names.stream();
    }
}

#include "tests/unit/temporary_folder.hpp"
#include "tests/unit/test.hpp"
#include "web/pages.hpp"

using namespace usershell::web;
using test::TemporaryFolder;
namespace fs = std::filesystem;
namespace {
const std::string pragma = "{{%AUTOESCAPE context=\"HTML\"}}\n";

/// A folder of templates that goes away with the test.
struct Folder : TemporaryFolder {
    Folder() {
        fs::create_directory(path() / "mail");
        write("layout.tpl",
              pragma + "<title>{{TITLE}}</title>{{#NOTE}}<p>{{TEXT}}</p>{{/NOTE}}{{>CONTENT}}");
    }
};

std::string why_refused(const std::string& name, const std::string& text) {
    const Folder folder;
    folder.write(name + ".tpl", text);
    try {
        const Pages pages{folder.path(), {name}};
    } catch (const PagesError& error) {
        return error.what();
    }
    return "loaded";
}
} // namespace
BOOST_AUTO_TEST_SUITE(pages)
BOOST_AUTO_TEST_CASE(a_page_stands_in_the_layout_and_both_see_the_data) {
    const Folder folder;
    folder.write("login.tpl",
                 pragma +
                     "<h1>{{TITLE}}</h1>{{#ITEM}}<i>{{NAME}}/{{TITLE}}</i>{{/ITEM}}"
                     "{{#NOTE}}<b>{{TEXT}}</b>{{/NOTE}}{{#HIDDEN}}never{{/HIDDEN}}{{MISSING}}");
    const Pages pages{folder.path(), {"login"}};
    PageData data;
    data.set("TITLE", "first").set("TITLE", "T");
    data.show("NOTE").set("TEXT", "hello");
    data.show("ITEM").set("NAME", "a");
    data.show("ITEM").set("NAME", "b");
    BOOST_TEST(pages.render("login", data) == "<title>T</title><p>hello</p>"
                                              "<h1>T</h1><i>a/T</i><i>b/T</i><b>hello</b>");
}

BOOST_AUTO_TEST_CASE(values_are_escaped_for_their_place) {
    const Folder folder;
    folder.write("page.tpl", pragma + R"(<p>{{V}}</p><a href="{{V}}" title="{{V}}">x</a>)");
    const Pages pages{folder.path(), {"page"}};
    PageData data;
    data.set("V", "javascript:alert('<b>&\"')");
    const std::string page = pages.render("page", data);
    BOOST_TEST(!has(page, "<b>"));
    BOOST_TEST(has(page, "href=\"#\""), page);
    BOOST_TEST(has(page, "<p>javascript:alert(&#39;&lt;b&gt;&amp;&quot;&#39;)</p>"), page);
    data.set("TITLE", "</title><script>");
    BOOST_TEST(!has(pages.render("page", data), "<script>"));
}

BOOST_AUTO_TEST_CASE(what_is_fixed_is_shown_wherever_a_template_names_it) {
    const Folder folder;
    fs::create_directory(folder.path() / "languages");
    folder.write("languages/de.json",
                 R"({"name": "Deutsch", "pages": {"One": "Eins"}, "answers": {}, "scripts": {}})");
    folder.write("part.tpl", pragma + "{{#ROW}}<b title='{{V}}'>[[One]] {{MAX}}</b>{{/ROW}}");
    folder.write("page.tpl", pragma + "{{MAX}}, {{V}}: {{>PART}}");
    PageData rows;
    rows.show("ROW").set("V", "a");
    rows.show("ROW").set("V", "'>");
    const Pages pages{folder.path(), {"page"}, {{{"MAX", "<10>"}}, {{"PART", {"part", rows}}}}};
    PageData data;
    data.set("V", "mine");
    BOOST_TEST(pages.render("page", data) ==
               "<title></title>&lt;10&gt;, mine: <b title='a'>One &lt;10&gt;</b>"
               "<b title='&#39;&gt;'>One &lt;10&gt;</b>");
    BOOST_TEST(has(pages.render("page", data, "de"), "'a'>Eins &lt;"));
    rows.show("ROW").set("V", "{{MAX}}");
    BOOST_CHECK_THROW(Pages(folder.path(), {"page"}, {{}, {{"PART", {"part", rows}}}}), PagesError);
}

BOOST_AUTO_TEST_CASE(mails_stand_by_themselves) {
    const Folder folder;
    folder.write("mail/hello.text.tpl", "Dear {{NAME}},\n\n{{#LINK}}see {{URL}}{{/LINK}}\n");
    folder.write("mail/hello.html.tpl", pragma + "<p>Dear {{NAME}}</p>");
    const Pages pages{folder.path(), {"mail/hello.text", "mail/hello.html"}};
    PageData data;
    data.set("NAME", "A & B");
    data.show("LINK").set("URL", "https://x.example/?a=1&b=2");
    BOOST_TEST(pages.render_bare("mail/hello.text", data) ==
               "Dear A & B,\n\nsee https://x.example/?a=1&b=2\n");
    BOOST_TEST(pages.render_bare("mail/hello.html", data) == "<p>Dear A &amp; B</p>");
    BOOST_CHECK_THROW(pages.render("mail/hello.text", data), PagesError);
}

BOOST_AUTO_TEST_CASE(a_page_stands_in_every_language_and_what_is_said_on_it) {
    const Folder folder;
    fs::create_directory(folder.path() / "languages");
    folder.write("layout.tpl",
                 pragma + "{{LANGUAGE}}{{#TRANSLATED}}!{{/TRANSLATED}}{{#CHOICE}} {{CODE}}={{NAME}}"
                          "{{/CHOICE}}:{{>CONTENT}}");
    folder.write("page.tpl", pragma + "[[Good morning]], {{NAME}}. {{WORDS}}");
    folder.write("languages/de.json",
                 R"({"name": "Deutsch", "pages": {"Good morning": "Guten Morgen"},
        "answers": {"{what} has at most {count} letters.": "{what} hat höchstens {count} Buchstaben.",
                    "A name": "Ein Name"}, "scripts": {}})");
    const Pages pages{folder.path(), {"page"}};
    PageData data;
    data.set("NAME", "A name").say("WORDS", "A name has at most 3 letters.");
    const std::string english =
        "en en=English de=Deutsch:Good morning, A name. A name has at most 3 letters.";
    BOOST_TEST(pages.render("page", data) == english);
    BOOST_TEST(pages.render("page", data, "fr") == english);
    BOOST_TEST(
        pages.render("page", data, "de") ==
        "de! en=English de=Deutsch:Guten Morgen, A name. Ein Name hat höchstens 3 Buchstaben.");
    data.say("WORDS", "Nobody said this.");
    BOOST_TEST(pages.render("page", data, "de").ends_with("Nobody said this."));
    const std::tuple<std::string, std::string, std::string> table[] = {
        {"", "", "en"},
        {"", "de", "de"},
        {"", "de-CH, en;q=0.9", "de"},
        {"", "en;q=0.3, de;q=0.4", "de"},
        {"", "fr, de;q=0.1", "de"},
        {"", "de;q=0", "en"},
        {"", "nonsense;;=", "en"},
        {"a=b; language=de", "en", "de"},
        {"language=en", "de", "en"},
        {"language=xx", "de", "de"},
    };
    for (const auto& [cookie, accept, language] : table) {
        Request request;
        request.headers.emplace("cookie", cookie);
        request.headers.emplace("accept-language", accept);
        BOOST_TEST(pages.language_of(request) == language, cookie << " " << accept);
    }
}

BOOST_AUTO_TEST_CASE(a_language_that_is_not_whole_stops_the_start) {
    const Folder folder;
    fs::create_directory(folder.path() / "languages");
    folder.write("page.tpl", pragma + "[[Good morning]]");
    for (const char* const text :
         {R"({"name": "X", "pages": {}, "answers": {}})", R"({"name": "X", "pages": {}})",
          R"({"name": "X", "pages": {"Good morning": "<a {{=a b=}}>"}, "answers": {}})", "[]",
          "{"}) {
        folder.write("languages/de.json", text);
        BOOST_CHECK_THROW(Pages(folder.path(), {"page"}), PagesError);
    }
    folder.write("languages/de.json", R"({"name": "X", "pages": {}, "answers": {}})");
    for (const char* const text : {"[[Good morning", "{{#OPEN}}never closed"}) {
        folder.write("page.tpl", pragma + text);
        BOOST_CHECK_THROW(Pages(folder.path(), {"page"}), PagesError);
    }
}

BOOST_AUTO_TEST_CASE(a_missing_template_stops_the_start) {
    const Folder folder;
    folder.write("page.tpl", pragma);
    BOOST_CHECK_THROW(Pages(folder.path(), {"page", "login"}), PagesError);
    BOOST_CHECK_THROW(Pages(folder.path() / "nowhere", {}), PagesError);
    fs::remove(folder.path() / "layout.tpl");
    BOOST_CHECK_THROW(Pages(folder.path(), {"page"}), PagesError);
}

BOOST_AUTO_TEST_CASE(only_what_was_named_at_the_start_is_rendered_and_as_it_was_then) {
    const Folder folder;
    folder.write("page.tpl", pragma + "before");
    folder.write("other.tpl", pragma + "other");
    const Pages pages{folder.path(), {"page"}};
    folder.write("page.tpl", pragma + "after");
    BOOST_TEST(pages.render_bare("page", {}) == "before");
    BOOST_CHECK_THROW(pages.render_bare("other", {}), PagesError);
    BOOST_CHECK_THROW(pages.render("other", {}), PagesError);
    BOOST_CHECK_THROW(pages.render_bare("../page", {}), PagesError);
}

BOOST_AUTO_TEST_CASE(a_template_that_breaks_the_rules_stops_the_start) {
    const auto breaks = [](const std::string& name, const std::vector<std::string>& texts) {
        for (const auto& text : texts) BOOST_TEST(why_refused(name, text) != "loaded", text);
    };
    breaks("a", {"fine but unescaped {{V}}", "\n" + pragma,
                 "{{%AUTOESCAPE context=\"JAVASCRIPT\"}}", pragma + "{{V:none}}",
                 pragma + "{{V:h:none}}", pragma + "{{>OTHER}}", pragma + "{{>CONTENT}}",
                 pragma + "{{=<% %>=}}", pragma + pragma, pragma + "{{V", pragma + "{{#OPEN}}",
                 pragma + "<a href={{V}}>", pragma + "<button formaction=\"/x/{{V}}\">",
                 pragma + "<iframe SRCDOC = '{{V}}'>", pragma + "<a xlink:href={{V}}>"});
    breaks("mail/a.html", {"no pragma"});
    breaks("mail/a.text", {pragma + "plain", "<b>bold</b>", "{{>OTHER}}"});
    const std::pair<std::string, std::string> sound[] = {
        {"a", pragma + "fine {{V}} {{!a comment: with anything}}"},
        {"a", pragma + "<button formaction=\"/x\">{{V}}</button>"},
        {"mail/a.text", "plain {{V}} <name@host.example>"},
    };
    for (const auto& [name, text] : sound) BOOST_TEST(why_refused(name, text) == "loaded", text);
}

BOOST_AUTO_TEST_CASE(threads_render_side_by_side) {
    const Folder folder;
    folder.write("page.tpl", pragma + "{{#I}}{{V}}{{/I}}");
    const Pages pages{folder.path(), {"page"}};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int number = 0; number < 4; ++number) {
        threads.emplace_back([&, number] {
            for (int round = 0; round < 200; ++round) {
                PageData data;
                data.show("I").set("V", std::to_string(number));
                if (pages.render_bare("page", data) != std::to_string(number)) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
}
BOOST_AUTO_TEST_SUITE_END()

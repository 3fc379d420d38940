#include "tests/unit/test.hpp"
#include "web/pages.hpp"
using namespace usershell::web;
namespace fs = std::filesystem;
namespace {
const std::string pragma = "{{%AUTOESCAPE context=\"HTML\"}}\n";
bool is_of_pages(const Error& error) {
    return has(error.what(), "template ") || has(error.what(), "language ");
}
struct Folder : TemporaryFolder {
    Folder() {
        fs::create_directory(path() / "mail");
        fs::create_directory(path() / "languages");
        write("layout.tpl",
              pragma + "<title>{{TITLE}}</title>{{#NOTE}}<p>{{TEXT}}</p>{{/NOTE}}{{>CONTENT}}");
    }
    void page(const std::string& text) const { write("page.tpl", pragma + text); }
    Pages pages() const { return Pages{path(), {"page"}}; }
    void do_not_load(const std::vector<std::string>& names = {"page"}) const {
        BOOST_CHECK_EXCEPTION(Pages(path(), names), Error, is_of_pages);
    }
};

BOOST_FIXTURE_TEST_CASE(a_page_stands_in_the_layout_and_both_see_the_data, Folder) {
    page("<h1>{{TITLE}}</h1>{{#ITEM}}<i>{{NAME}}/{{TITLE}}</i>{{/ITEM}}"
         "{{#NOTE}}<b>{{TEXT}}</b>{{/NOTE}}{{#HIDDEN}}never{{/HIDDEN}}{{MISSING}}");
    PageData data;
    data.set("TITLE", "first").set("TITLE", "T");
    data.show("NOTE").set("TEXT", "hello");
    data.show("ITEM").set("NAME", "a");
    data.show("ITEM").set("NAME", "b");
    BOOST_TEST(pages().render("page", data) == "<title>T</title><p>hello</p>"
                                               "<h1>T</h1><i>a/T</i><i>b/T</i><b>hello</b>");
}

BOOST_FIXTURE_TEST_CASE(values_are_escaped_for_their_position, Folder) {
    page(R"(<p>{{V}}</p><a href="{{V}}" title="{{V}}">x</a>)");
    PageData data;
    data.set("V", "javascript:alert('<b>&\"')").set("TITLE", "</title><script>");
    const std::string shown = pages().render("page", data);
    BOOST_TEST((!has(shown, "<b>") && !has(shown, "<script>")), shown);
    BOOST_TEST(has(shown, "href=\"#\""), shown);
    BOOST_TEST(has(shown, "<p>javascript:alert(&#39;&lt;b&gt;&amp;&quot;&#39;)</p>"), shown);
}

BOOST_FIXTURE_TEST_CASE(what_is_fixed_is_shown_wherever_a_template_names_it, Folder) {
    write("languages/de.json", R"({"name": "Deutsch", "sentences": {"One": "Eins"}})");
    write("part.tpl", pragma + "{{#ROW}}<b title='{{V}}'>[[One]] {{MAX}}</b>{{/ROW}}");
    page("{{MAX}}, {{V}}: {{>PART}}");
    PageData rows, data;
    rows.show("ROW").set("V", "a");
    rows.show("ROW").set("V", "'>");
    const Pages all{path(), {"page"}, {{{"MAX", "<10>"}}, {}, {{"PART", {"part", rows}}}}};
    data.set("V", "mine");
    BOOST_TEST(all.render("page", data) ==
               "<title></title>&lt;10&gt;, mine: <b title='a'>One &lt;10&gt;</b>"
               "<b title='&#39;&gt;'>One &lt;10&gt;</b>");
    BOOST_TEST(has(all.render("page", data, "de"), "'a'>Eins &lt;"));
    rows.show("ROW").set("V", "{{MAX}}");
    BOOST_CHECK_EXCEPTION(Pages(path(), {"page"}, {{}, {}, {{"PART", {"part", rows}}}}), Error,
                          is_of_pages);
}

BOOST_FIXTURE_TEST_CASE(mails_stand_by_themselves, Folder) {
    write("mail/hello.text.tpl", "Dear {{NAME}},\n\n{{#LINK}}see {{URL}}{{/LINK}}\n");
    write("mail/hello.html.tpl", pragma + "<p>Dear {{NAME}}</p>");
    const Pages all{path(), {"mail/hello.text", "mail/hello.html"}};
    PageData data;
    data.set("NAME", "A & B");
    data.show("LINK").set("URL", "https://x.example/?a=1&b=2");
    BOOST_TEST(all.render_bare("mail/hello.text", data) ==
               "Dear A & B,\n\nsee https://x.example/?a=1&b=2\n");
    BOOST_TEST(all.render_bare("mail/hello.html", data) == "<p>Dear A &amp; B</p>");
    BOOST_CHECK_EXCEPTION(all.render("mail/hello.text", data), Error, is_of_pages);
}

BOOST_FIXTURE_TEST_CASE(a_page_stands_in_every_language_and_what_is_said_on_it, Folder) {
    write("layout.tpl",
          pragma + "{{LANGUAGE}}{{#TRANSLATED}}!{{/TRANSLATED}}{{#CHOICE}} {{CODE}}={{NAME}}"
                   "{{/CHOICE}}:{{>CONTENT}}");
    page("[[Good morning]], {{NAME}}. {{WORDS}}");
    write("languages/de.json",
          R"({"name": "Deutsch", "sentences": {"Good morning": "Guten Morgen",
                    "{what} has at most {count} letters.": "{what} hat höchstens {count} Buchstaben.",
                    "A name": "Ein Name"}})");
    const Pages all = pages();
    PageData data;
    data.set("NAME", "A name")
        .say("WORDS",
             {"{what} has at most {count} letters."_en, {{"what", "A name"_en}, {"count", "3"}}});
    const std::string english =
        "en en=English de=Deutsch:Good morning, A name. A name has at most 3 letters.";
    BOOST_TEST(all.render("page", data) == english);
    BOOST_TEST(all.render("page", data, "fr") == english);
    BOOST_TEST(
        all.render("page", data, "de") ==
        "de! en=English de=Deutsch:Guten Morgen, A name. Ein Name hat höchstens 3 Buchstaben.");
    data.say("WORDS", "Nobody said this."_en);
    BOOST_TEST(all.render("page", data, "de").ends_with("Nobody said this."));
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
        BOOST_TEST(all.language_of(request) == language, cookie << " " << accept);
    }
}

BOOST_FIXTURE_TEST_CASE(a_language_that_is_not_whole_stops_the_start, Folder) {
    page("[[Good morning]]");
    for (const char* const text :
         {R"({"name": "X", "sentences": {}})", R"({"name": "X"})",
          R"({"name": "X", "sentences": {"Good morning": "<a {{=a b=}}>"}})", "[]", "{"}) {
        write("languages/de.json", text);
        do_not_load();
    }
    write("languages/de.json", R"({"name": "X", "sentences": {}})");
    for (const char* const text : {"[[Good morning", "{{#OPEN}}never closed"}) {
        page(text);
        do_not_load();
    }
}

BOOST_FIXTURE_TEST_CASE(a_missing_template_stops_the_start, Folder) {
    page("");
    do_not_load({"page", "login"});
    BOOST_CHECK_EXCEPTION(Pages(path() / "nowhere", {}), Error, is_of_pages);
    fs::remove(path() / "layout.tpl");
    do_not_load();
}

BOOST_FIXTURE_TEST_CASE(only_what_was_named_at_the_start_is_rendered_and_as_it_was_then, Folder) {
    page("before");
    write("other.tpl", pragma + "other");
    const Pages all = pages();
    page("after");
    BOOST_TEST(all.render_bare("page", {}) == "before");
    for (const char* const other : {"other", "../page"})
        BOOST_CHECK_EXCEPTION(all.render_bare(other, {}), Error, is_of_pages);
    BOOST_CHECK_EXCEPTION(all.render("other", {}), Error, is_of_pages);
}

BOOST_AUTO_TEST_CASE(a_template_that_breaks_the_rules_stops_the_start) {
    const auto loads = [](const std::string& name, const std::string& text) {
        const Folder folder;
        folder.write(name + ".tpl", text);
        try {
            const Pages pages{folder.path(), {name}};
        } catch (const Error& error) {
            BOOST_TEST(has(error.what(), "template " + name));
            return false;
        }
        return true;
    };
    const std::pair<std::string, std::vector<std::string>> broken[] = {
        {"a",
         {"fine but unescaped {{V}}", "\n" + pragma, "{{%AUTOESCAPE context=\"JAVASCRIPT\"}}",
          pragma + "{{V:none}}", pragma + "{{V:h:none}}", pragma + "{{>OTHER}}",
          pragma + "{{>CONTENT}}", pragma + "{{=<% %>=}}", pragma + pragma, pragma + "{{V",
          pragma + "{{#OPEN}}", pragma + "<a href={{V}}>",
          pragma + "<button formaction=\"/x/{{V}}\">", pragma + "<iframe SRCDOC = '{{V}}'>",
          pragma + "<a xlink:href={{V}}>"}},
        {"mail/a.html", {"no pragma"}},
        {"mail/a.text", {pragma + "plain", "<b>bold</b>", "{{>OTHER}}"}},
    };
    for (const auto& [name, texts] : broken)
        for (const auto& text : texts) BOOST_TEST(!loads(name, text), text);
    BOOST_TEST(loads("a", pragma + "fine {{V}} {{!a comment: with anything}}"));
    BOOST_TEST(loads("a", pragma + "<button formaction=\"/x\">{{V}}</button>"));
    BOOST_TEST(loads("mail/a.text", "plain {{V}} <name@host.example>"));
}
} // namespace

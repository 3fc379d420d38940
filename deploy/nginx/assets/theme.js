// The colours a person chose, before the page is drawn; a plain script in the head, so that none flash.
// Kept in a cookie: signing out empties the browser's storage of this site.
{
  const root = document.documentElement;
  root.dataset.theme = /(?:^|; )theme=(\w*)/.exec(document.cookie)?.[1] ?? '';
  document.addEventListener('DOMContentLoaded', () => {
    const choice = document.getElementById('theme');
    choice.value = root.dataset.theme;
    choice.closest('[hidden]').hidden = false;
    choice.addEventListener('change', () => {
      document.cookie = `theme=${choice.value}; Max-Age=31536000; Path=/; Secure; SameSite=Lax`;
      root.dataset.theme = choice.value;
    });
  });
}

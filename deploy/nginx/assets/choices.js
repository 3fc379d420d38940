// The colours and the language a person chose; a plain script in the head, so that no other colours flash.
// Kept in cookies: signing out empties the browser's storage of this site, and the server has to know the language.
{
  const root = document.documentElement;
  const kept = (name) => new RegExp(`(?:^|; )${name}=(\\w*)`).exec(document.cookie)?.[1] ?? '';
  const chosen = (name, work) => {
    const choice = document.getElementById(name);
    if (!choice) return; // a page of nginx's own
    choice.value = kept(name);
    choice.closest('[hidden]')?.removeAttribute('hidden');
    choice.addEventListener('change', () => {
      work(choice);
      document.cookie = `${name}=${choice.value}; Max-Age=31536000; Path=/; Secure; SameSite=Lax`;
      if (name === 'language') location.reload();
    });
  };
  root.dataset.theme = kept('theme');
  document.addEventListener('DOMContentLoaded', () => {
    chosen('theme', (choice) => { root.dataset.theme = choice.value; });
    chosen('language', () => {});
  });
}

// Every page has this script, and with it the mark of where one is.
document.addEventListener('DOMContentLoaded', () => {
  for (const link of document.querySelectorAll('header nav a'))
    if (link.pathname === location.pathname) link.setAttribute('aria-current', 'page');
});

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
      if (!work(choice)) return;
      document.cookie = `${name}=${choice.value}; Max-Age=31536000; Path=/; Secure; SameSite=Lax`;
      if (name === 'language') location.reload();
    });
  };
  const sure = (choice) => {
    const losesNothing = document.getElementById('playground-clear')?.disabled ?? true;
    if (losesNothing || confirm(choice.dataset.ask)) return true;
    choice.value = kept('language');
    return false;
  };
  root.dataset.theme = kept('theme');
  document.addEventListener('DOMContentLoaded', () => {
    chosen('theme', (choice) => { root.dataset.theme = choice.value; return true; });
    chosen('language', sure);
  });
}

// The colours a person chose, before the page is drawn; a plain script in the head, so that none flash.
{
  const root = document.documentElement;
  root.dataset.theme = localStorage.getItem('theme') ?? '';
  document.addEventListener('DOMContentLoaded', () => {
    const choice = document.getElementById('theme');
    choice.value = root.dataset.theme;
    choice.closest('[hidden]').hidden = false;
    choice.addEventListener('change', () => {
      localStorage.setItem('theme', choice.value);
      root.dataset.theme = choice.value;
    });
  });
}

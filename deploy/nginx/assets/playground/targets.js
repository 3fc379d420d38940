// Where a message goes: a choice of provider and model. There are two, so that answers can be compared. The browser keeps the
// ids of what was chosen last, until a sign-out.

import { byId, h, redraw, t } from '../common/dom.js';
import { find, talks } from '../common/provider_list.js';
import { userId } from '../common/api.js';

const searchTypes = byId('playground').dataset.searchTypes.split(' ');

/** Shows the options, or that there are none; what was chosen stays so, else what is wanted is. */
function refill(list, options, none, wanted) {
  const chosen = list.value;
  const content = JSON.stringify([options, none]);
  if (list.dataset.content === content) return; // so that an open list stays open
  list.dataset.content = content;
  redraw(list, options.length ? options.map(([value, label]) => h('option', { value }, label))
    : h('option', { value: '' }, none));
  const shown = [chosen, wanted].find((each) => options.some(([value]) => value === each));
  if (shown !== undefined) list.value = shown;
  list.disabled = options.length === 0;
}

/** {provider(), model(), modelName(), sees(): whether it reads images, ready(), choose(id), differFrom(target), draw(providers)}; changed() is called after each change. */
function target(place, providerList, modelList, changed) {
  let kept = JSON.parse(localStorage.getItem(place)) ?? {};
  const provider = () => find(providerList.value);
  const searches = () => searchTypes.includes(provider()?.type);

  function drawModels() {
    const enabled = provider()?.models.filter((model) => model.isEnabled && talks(model)) ?? [];
    const none = searches() ? t('No model needed') : t('No chat model enabled');
    refill(modelList, enabled.map((model) => [model.modelId, model.displayName]),
      provider() ? none : t('No provider'), kept.model);
    changed();
  }
  function keep() {
    kept = { provider: providerList.value, model: modelList.value };
    localStorage.setItem(place, JSON.stringify(kept));
    changed();
  }
  providerList.addEventListener('change', () => {
    drawModels();
    keep();
  });
  modelList.addEventListener('change', keep);

  return {
    provider,
    model: () => modelList.value,
    modelName: () => (modelList.value ? modelList.selectedOptions[0].textContent : ''),
    sees: () => provider()?.models.find((model) => model.modelId === modelList.value)?.capabilities.split(',').includes('vision') ?? false,
    ready: () => Boolean(provider()) && (modelList.value !== '' || searches()),
    choose(id) {
      providerList.value = id;
      drawModels();
      keep();
    },
    /** Where it is the same, another provider, or else another model of this one. */
    differFrom(target) {
      if (provider()?.id !== target.provider()?.id || modelList.value !== target.model()) return;
      const other = (list) => [...list.options].find((option) => !option.selected);
      if (other(providerList)) this.choose(other(providerList).value);
      else if (other(modelList)) modelList.value = other(modelList).value;
    },
    draw(providers) {
      const active = providers.filter((one) => one.status === 'active');
      refill(providerList, active.map((one) => [one.id, one.name]), t('No active provider'), kept.provider);
      drawModels();
    },
  };
}

export const targetOf = (suffix, changed) =>
  target(`chosen${suffix} ${userId}`, byId(`playground-provider${suffix}`), byId(`playground-model${suffix}`), changed);

// Where a message goes: a choice of provider and model. There are two, so that answers can be compared.

import { byId, h, redraw } from '../common/dom.js';
import { find } from '../providers/store.js';
import { talks, typeOf } from '../providers/catalogue.js';
import { t } from '../common/language.js';

function refill(list, options, none) {
  const chosen = list.value;
  const content = JSON.stringify([options, none]);
  if (list.dataset.content === content) return; // so that an open list stays open
  list.dataset.content = content;
  redraw(list, options.length ? options.map(([value, label]) => h('option', { value }, label))
    : h('option', { value: '' }, none));
  if (options.some(([value]) => value === chosen)) list.value = chosen;
  list.disabled = options.length === 0;
}

/** {provider(), model(), ready(), choose(id), differFrom(target), draw(providers)}; changed() is called after each change. */
function target(providerList, modelList, changed) {
  const provider = () => find(providerList.value);
  const searches = () => typeOf(provider()?.type).search;

  function drawModels() {
    const enabled = provider()?.models.filter((model) => model.isEnabled && talks(model)) ?? [];
    const none = searches() ? t('No model needed') : t('No chat model enabled');
    refill(modelList, enabled.map((model) => [model.modelId, model.displayName]),
      provider() ? none : t('No provider'));
    changed();
  }
  providerList.addEventListener('change', drawModels);

  return {
    provider,
    model: () => modelList.value,
    ready: () => Boolean(provider()) && (modelList.value !== '' || searches()),
    choose(id) {
      providerList.value = id;
      drawModels();
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
      refill(providerList, active.map((one) => [one.id, one.name]), t('No active provider'));
      drawModels();
    },
  };
}

export const targetOf = (suffix, changed) =>
  target(byId(`playground-provider${suffix}`), byId(`playground-model${suffix}`), changed);

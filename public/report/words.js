/*
 * The texts of this page in a language of its reader: those of the tool, by the English text as their key. Values are `{0}`, `{1}`.
 * Without the file, and in other languages, the page is in English.
 */
(() => {
  'use strict';
  const LANGUAGES = ['en', 'de'];
  const locale = navigator.languages.find((tag) => LANGUAGES.includes(tag.split('-')[0])) ?? 'en';
  const language = locale.split('-')[0];
  let texts = {};

  /** A text, with its values. */
  const say = (text, ...values) => {
    const known = texts[text];
    const said = (typeof known === 'string' ? known : known?.[0]) ?? text;
    return said.replace(/\{(\d+)\}/g, (_, at) => String(values[at] ?? ''));
  };
  const sayAll = () => {
    for (const element of document.querySelectorAll('[data-say]')) element.textContent = say(element.textContent);
  };
  const load = async () => {
    document.documentElement.lang = language;
    if (language === 'en') return;
    const answer = await fetch(`../admin/${language}.json`).catch(() => undefined);
    if (!answer?.ok) return;
    const messages = await answer.json();
    texts = Object.fromEntries(messages.ids.map((id, i) => [id, messages.texts[i]]));
    sayAll();
  };
  window.reportWords = { locale, say, ready: load() };
})();

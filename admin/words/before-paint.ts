import { applyLooks, keptPreferences, languageOf } from './kept-preferences.ts';

// In the head of each page, before its styles: so nothing flashes in other colours, and the texts of the language load beside the script.
const preferences = keptPreferences();
const language = languageOf(preferences);
document.documentElement.lang = language;
applyLooks(preferences);
if (language !== 'en') {
  const link = Object.assign(document.createElement('link'), { rel: 'preload', as: 'fetch', href: `admin/${language}.json` });
  link.crossOrigin = 'anonymous';
  document.head.append(link);
}

import { language } from './language.ts';
import { useMessages, type Messages } from './texts.ts';

/**
 * Waits for the texts of the language. The first import of a page: the bundler keeps the order, and many texts are made when their module
 * runs. Without the file the page is in English.
 */
if (language !== 'en') {
  const answer = await fetch(`admin/${language}.json`).catch(() => undefined);
  if (answer?.ok) useMessages((await answer.json()) as Messages, language);
}

/** The previews as a script for pages behind links. */
import './ad-preview.ts';
import './live-page.ts';
import './page-preview.ts';

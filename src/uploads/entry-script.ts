/**
 * Gives the ad its click address, from the fragment of its address: the page is then the same file for
 * every impression. An ad also assigns `clickTag` itself, to be tested alone: that is ignored.
 */
const CLICK_TAG =
  '(function(u){if(u===null)return;try{u=new URL(u,location.href)}catch(e){return}if(!/^https?:$/.test(u.protocol))return;' +
  '["clickTag","clickTAG"].forEach(function(n){Object.defineProperty(window,n,{configurable:true,get:function(){return u.href},' +
  'set:function(){}})})})(new URLSearchParams(location.hash.slice(1)).get("clickTag"));';

/**
 * Runs `<a href="javascript:window.open(window.clickTag)">`, as Google documents it: Chromium follows
 * no javascript: link in a sandboxed frame on an opaque origin.
 */
const SCRIPT_LINKS =
  'addEventListener("click",function(e){var a=e.target.closest&&e.target.closest("a[href],area[href]"),' +
  'c=a&&/^\\s*javascript:([^]*)$/i.exec(a.getAttribute("href"));if(!c||e.defaultPrevented)return;e.preventDefault();' +
  'c=c[1];try{c=decodeURIComponent(c)}catch(f){}(0,eval)(c)});';

/** The first script of an HTML5 ad. */
export const ENTRY_SCRIPT = `<script>${CLICK_TAG}${SCRIPT_LINKS}</script>`;

/** A page as it was uploaded. */
export const withoutEntryScript = (page: string): string => page.replace(ENTRY_SCRIPT, '');

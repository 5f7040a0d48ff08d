/** `?adsdk_debug` in the page's address, or `#adsdk_debug=<debug grant>`. */
export const asksForOverlay = (): boolean => /\Wadsdk_debug/.test(location.href);

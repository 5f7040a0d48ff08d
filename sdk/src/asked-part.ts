/**
 * The part of the SDK that the page's address asks for before the first request: `?adsdk_debug` or `#adsdk_debug=<debug grant>` for
 * the overlay, `#adsdk_preview=<placement>` for an ad that the ad server's own page sends.
 */
export const askedPart = (): string | undefined => /\Wadsdk_(debug|preview)/.exec(location.href)?.[1];

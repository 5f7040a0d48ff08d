/** Tells the page, on the ad's container (bubbling) or on the document. A page's throwing listener does not come back here. */
export const emit = (target: EventTarget, name: string, detail: object): void => {
  target.dispatchEvent(new CustomEvent(`AdSDK:${name}`, { bubbles: true, detail }));
};

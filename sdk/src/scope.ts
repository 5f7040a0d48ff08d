/**
 * The resources that one ad uses on the page (listeners, observers, timers, elements), released
 * together at its end.
 */
export interface Scope {
  readonly ended: () => boolean;
  readonly add: (undo: () => void) => void;
  readonly listen: <E extends Event>(target: EventTarget, type: string, listener: (event: E) => void) => void;
  readonly end: () => void;
}

/**
 * Resources are released in reverse order. One that is added after the end is released immediately.
 */
export const createScope = (): Scope => {
  let undos: (() => void)[] | undefined = [];
  const add = (undo: () => void): void => {
    if (undos) undos.push(undo);
    else undo();
  };
  return {
    ended: () => !undos,
    add,
    listen: (target, type, listener) => {
      target.addEventListener(type, listener as EventListener);
      add(() => target.removeEventListener(type, listener as EventListener));
    },
    end: () => {
      const all = undos;
      undos = undefined;
      all?.reverse().forEach((undo) => undo());
    },
  };
};

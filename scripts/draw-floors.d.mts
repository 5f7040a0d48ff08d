export declare const drawFloors: (root: string) => string;

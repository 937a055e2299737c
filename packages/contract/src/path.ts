// A colon at the start of a segment marks a parameter, and one inside of it a verb (`runs:bulk`). A star marks a last
// parameter that stands for the rest of the path.
const parameter = /\/[:*]([a-zA-Z]+)/g;

/** The names of the parameters of a path such as `/v1/leads/:id`, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(parameter)].map(([, field]) => field as string);
}

/** Replaces the parameters of a path. The values are used as they are: encode them if they may contain a slash. */
export function fillPath(path: string, valueFor: (field: string) => unknown): string {
  return path.replace(parameter, (_, field: string) => `/${valueFor(field)}`);
}

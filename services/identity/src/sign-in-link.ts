import type { Tools } from './handler.ts';

/** The link to the console, where people sign in; undefined without one. */
export function signInLink({ consoleUrl }: Pick<Tools, 'consoleUrl'>): { label: string; url: string } | undefined {
  return consoleUrl === undefined ? undefined : { label: 'Sign in', url: consoleUrl };
}

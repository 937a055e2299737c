import Bowser from 'bowser';

/** Browser and operating system of a user agent: `Firefox on Linux`. Programs are named by their product token. */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return 'Unknown device';
  const { browser, os } = Bowser.parse(userAgent);
  if (browser.name && os.name) return `${browser.name} on ${os.name}`;
  return browser.name || os.name || (/^[\w.-]{1,50}/.exec(userAgent)?.[0] ?? 'Unknown device');
}

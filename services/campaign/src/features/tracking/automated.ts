// Names of scanners, crawlers and command line tools in User-Agent. Mail programs and image proxies that fetch when a person
// opens the message, such as those of Gmail and Yahoo, are people.
const software =
  /bot\b|crawl|spider|scan|preview|proofpoint|mimecast|barracuda|messagelabs|safelinks|symantec|fireeye|urldefense|curl|wget|python|java\/|okhttp|go-http|headless|axios|node-fetch|libwww/i;
// The whole User-Agent of Apple's Mail Privacy Protection, which fetches all images in advance.
const prefetching = /^Mozilla\/5\.0$/;
// Nobody reads a message and clicks so soon after the mail server has accepted it; scanners do.
const tooSoonMs = 2_000;

/** Whether a request names software that fetches pages and images by itself, or nothing. */
export function isSoftware(userAgent: string | undefined): boolean {
  return !userAgent || software.test(userAgent) || prefetching.test(userAgent);
}

/** Whether a request was made by software instead of a person. */
export function isAutomated({
  userAgent,
  sentAt,
  at,
}: {
  userAgent: string | undefined;
  sentAt: Date | null;
  at: Date;
}): boolean {
  if (isSoftware(userAgent)) return true;
  return sentAt === null || at.getTime() - sentAt.getTime() < tooSoonMs;
}

import type { AddonSettings } from '@tandem/identity-contract';
import { failField } from '@tandem/service';

type Settings = Pick<Partial<AddonSettings<'partner_program'>>, 'allowedHosts' | 'defaultLandingUrl'> | undefined;

/** Whether links may lead to a page: to the hosts that the tenant lists, and to the host of its default page. */
export function isAllowed(url: string, settings: Settings): boolean {
  const host = hostOf(url);
  const allowed = [...(settings?.allowedHosts ?? []), hostOf(settings?.defaultLandingUrl)];
  return host !== undefined && allowed.some((one) => one?.toLowerCase() === host);
}

/** @throws 422 if links may not lead to the page */
export function checkLandingUrl(url: string | null | undefined, settings: Settings): void {
  if (!url || isAllowed(url, settings)) return;
  throw failField(
    'landingUrl',
    `Its host ${hostOf(url)} must be in allowedHosts of the active addon Partner Program; add it there first`,
  );
}

/** The host without port. The URL parser writes it in lower case. */
function hostOf(url: string | undefined): string | undefined {
  return (url && URL.parse(url)?.hostname) || undefined;
}

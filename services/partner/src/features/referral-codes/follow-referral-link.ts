import { randomBytes } from 'node:crypto';
import { Code, clickCookie, type referralCodes } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import { isbot } from 'isbot';
import type { Handler, Tools } from '../../handler.ts';
import type { ClickBuffer } from './click-buffer.ts';
import { isAllowed } from './landing.ts';
import type { linkTargets } from './link-targets.ts';

/** What the link handler keeps between requests. */
interface Links {
  find: ReturnType<typeof linkTargets>;
  buffer: ClickBuffer;
}

const cookieSeconds = 90 * 86_400;

export const followReferralLink =
  (
    { addonSettings, digest, ids }: Pick<Tools, 'addonSettings' | 'digest' | 'ids'>,
    { find, buffer }: Links,
  ): Handler<typeof referralCodes.followReferralLink> =>
  async ({ params, query, caller, isHead, setCookie, inTenant }) => {
    const scope = { tenantId: params.tenant, environment: query.environment ?? ('live' as const) };
    const { requestId, ip = '', userAgent = '' } = caller;
    const { data: code } = Code.safeParse(params.code);
    const target = code === undefined ? undefined : await find(scope, code, inTenant);
    const settings = await addonSettings({ ...scope, requestId }, 'partner_program', () => {
      throw fail('unavailable', undefined, { retryAfter: 1 });
    });
    const own = target?.landingUrl && isAllowed(target.landingUrl, settings) ? target.landingUrl : undefined;
    const landingUrl = own ?? settings?.defaultLandingUrl;
    if (!landingUrl) throw fail('not_found');
    if (!target) return redirectTo(new URL(landingUrl));
    const location = new URL(landingUrl);
    location.searchParams.set('ref', code as string);
    if (target.campaignId !== null)
      location.searchParams.set('utm_campaign', ids.encode('campaign', scope.tenantId, target.campaignId));
    // Previews and monitors send HEAD. An id without a click would attribute nothing.
    if (isHead) return redirectTo(location);
    const at = new Date();
    const clickId = randomBytes(16).toString('base64url');
    const day = at.toISOString().slice(0, 10);
    const visitor = digest([ip, userAgent, target.codeId, day].join('\n'));
    // An empty User-Agent is software: every browser sends one.
    buffer.add(scope, { clickId, codeId: target.codeId, visitor, isBot: !userAgent || isbot(userAgent), at }, inTenant);
    setCookie(clickCookie, clickId, { path: '/', maxAgeSeconds: cookieSeconds, sameSite: 'Lax', secure: true });
    location.searchParams.set('clickId', clickId);
    return redirectTo(location);
  };

const redirectTo = ({ href: location }: URL) => ({ body: '', type: 'text/plain', location });

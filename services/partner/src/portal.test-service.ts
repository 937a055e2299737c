import type { Mailbox, ReceivedMail } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import { type Api, anApprovedPartner, anonymous, type Service } from './partner.test-service.ts';

export const password = 'a long phrase is best';
let people = 0;
/** An address that no other test of the file has. */
export const anAddress = (name = 'joan') => `${name}${++people}@example.com`;

interface WithId {
  id: string;
}

/** Client of a portal user, as forwarded by the gateway. */
export function portalOf(service: Service, api: Api, { partner, user }: { partner: WithId; user: WithId }): Api {
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  const ids = { partnerId: Number(partner.id), portalUserId: Number(user.id) };
  return service.as({ type: 'portal', tenantId, environment, sessionId: 3, can: [], ...ids });
}

/** Creates a portal user of an approved partner; with a password unless `fields` says otherwise. */
export async function aPortalUser(service: Service, api: Api = service.as(), fields: object = {}) {
  const partner = await anApprovedPartner(api);
  return { partner, ...(await aPortalUserOf(service, api, partner, fields)) };
}

/** Creates a portal user of a partner. */
export async function aPortalUserOf(service: Service, api: Api, partner: WithId, fields: object = {}) {
  const body = { email: anAddress(), password, role: 'owner', ...fields };
  const { status, data } = await api.createPortalUser({ params: { id: partner.id }, body });
  if (status !== 201) throw new Error(`createPortalUser answered ${status}`);
  const tenant = `${api.caller.tenantId}`;
  const { email } = data as { email: string };
  const login = (word = password) => anonymous(service).loginToPortal({ body: { email, password: word, tenant } });
  const user = data as { id: string; email: string; role: string; status: string };
  return { api, user, email, tenant, login, signedIn: portalOf(service, api, { partner, user }) };
}

/** Waits for a message to an address whose subject matches; the latest one of several. */
export function mailTo(mailbox: Mailbox, address: string, subject: RegExp): Promise<ReceivedMail> {
  const found = () => mailbox.to(address).findLast((mail) => subject.test(mail.subject));
  return until(`${address} gets ${subject}`, found);
}

/** The token of the link in a message. */
export function tokenIn({ text }: ReceivedMail): string {
  const [, token] = /https?:\/\/\S+\?token=(\S+)/.exec(text) ?? [];
  if (!token) throw new Error(`no link in ${text}`);
  return token;
}

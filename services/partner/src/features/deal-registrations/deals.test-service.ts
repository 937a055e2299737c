import { type Api, anApprovedPartner, type Service } from '../../partner.test-service.ts';

let companies = 0;

/** Request body of a registration of a company that no other registration has. */
export function aDeal(fields: Record<string, unknown> = {}) {
  const number = ++companies;
  const contact = { email: `ada@company${number}.example`, firstName: 'Ada', lastName: 'Lovelace' };
  return { company: `Company ${number}`, contact, value: 4_800, currency: 'EUR', ...fields };
}

/** Registers a deal for a partner, by default a new one. */
export async function aDraft(api: Api, fields: Record<string, unknown> = {}) {
  const partnerId = (fields['partnerId'] as string | undefined) ?? (await anApprovedPartner(api)).id;
  const { status, data } = await api.createDealRegistration({ body: aDeal({ ...fields, partnerId }) });
  if (status !== 201) throw new Error(`creation answered ${status}`);
  return data as { id: string; partnerId: string };
}

export async function aSubmitted(api: Api, fields: Record<string, unknown> = {}) {
  const draft = await aDraft(api, fields);
  const { status } = await api.submitDealRegistration({ params: { id: draft.id } });
  if (status !== 200) throw new Error(`submission answered ${status}`);
  return draft;
}

export async function anApproved(api: Api, fields: Record<string, unknown> = {}) {
  const submitted = await aSubmitted(api, fields);
  const { status, data } = await api.approveDealRegistration({ params: { id: submitted.id } });
  if (status !== 200) throw new Error(`approval answered ${status}`);
  return data as { id: string; partnerId: string; protectedUntil: string };
}

/** Makes the end of the protection due. */
export async function makeExpiryDue(service: Service, { caller }: Api): Promise<void> {
  const name = 'expire-deal-registration';
  await service.sqlWithin(caller, `UPDATE platform.job SET due_at = now() WHERE name = '${name}'`);
}

export const dealOf = async (api: Api, id: string) => (await api.getDealRegistration({ params: { id } })).data;
export const answerOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

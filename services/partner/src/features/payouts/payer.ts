import type { TenantRequest } from '@tandem/client/per-tenant';
import type { Tools } from '../../handler.ts';
import type { Payer } from './bank-files.ts';

/** The account of the tenant that partners are paid from, as the settings of the addon Partner Program have it. */
export async function readPayer(
  addonSettings: Tools['addonSettings'],
  request: TenantRequest,
): Promise<Payer | undefined> {
  const settings = await addonSettings(request, 'partner_program');
  const { payerName: name, payerIban: iban } = settings ?? {};
  return name && iban ? { name, iban } : undefined;
}

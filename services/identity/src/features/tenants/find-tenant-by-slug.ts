import type { internalTenantSlugs } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

export const findTenantBySlug: Handler<typeof internalTenantSlugs.findTenantBySlug> = async ({ params, tx }) => {
  const row = await tx.tenantDirectory.findFirst({ where: { slug: params.slug } });
  if (!row) throw fail('not_found');
  return { tenantId: row.id };
};

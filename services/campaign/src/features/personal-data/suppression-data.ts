import { Suppression } from '@tandem/campaign-contract';
import { exportSection, type PersonalData } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { asSuppression } from '../suppressions/suppression.ts';
import { digestsOfPerson } from './addresses.ts';

const batchMax = 1_000;

/** Suppressions of the addresses of a person: they lose the address and the note, and suppress by the digest from then on. */
export const suppressionData = (tools: Pick<Tools, 'seal'>): PersonalData<Tx> => ({
  async erase({ tx, person }) {
    const digests = digestsOfPerson(tools, person);
    const rows = await tx.sql`UPDATE suppression SET value = NULL, note = NULL
      WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND id IN (
        SELECT id FROM suppression WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
          AND digest = ANY(${digests}::text[]) AND (value IS NOT NULL OR note IS NOT NULL) LIMIT ${batchMax}::int)
      RETURNING id`;
    return { suppressions: rows.length };
  },
  async read({ tx, person }) {
    const where = { digest: { in: digestsOfPerson(tools, person) } };
    return [
      await exportSection('suppressions', Suppression, {
        count: () => tx.suppression.count({ where }),
        find: async (take) =>
          (await tx.suppression.findMany({ where, orderBy: { id: 'desc' }, take })).map(asSuppression),
      }),
    ];
  },
});

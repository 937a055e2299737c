import { fileUpdated } from '@tandem/files-contract';
import { currentLeads, followLeadMerges } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Tools, Tx } from '../../handler.ts';
import { asFile } from './file.ts';

const ofLeads = 'lead';

/** The files of a lead that is merged belong to the lead that remains. Their `entityId` is the public id of the lead. */
export const followMerges = ({ ids }: Tools) =>
  followLeadMerges<Tx>([
    {
      table: fragment`file`,
      lead: fragment`entity_id`,
      mergedFrom: fragment`merged_from_entity_id`,
      publicId: (tenantId, leadId) => ids.encode('lead', tenantId, leadId),
      only: fragment`record.entity_type = 'lead'`,
      set: fragment`, version = version + 1, updated_at = now()`,
      async moved({ tx, emit }, rows) {
        const changes = new Map(rows.map(({ id, from, to }) => [id, { from, to }]));
        const files = await tx.file.findMany({ where: { id: { in: [...changes.keys()] } }, orderBy: { id: 'asc' } });
        for (const row of files)
          emit(fileUpdated, {
            data: { fileId: row.id, fields: ['entityId'] },
            record: asFile(row),
            changes: { entityId: changes.get(row.id) as { from: unknown; to: unknown } },
          });
      },
    },
  ]);

interface Entity {
  entityType?: string | null | undefined;
  entityId?: string | null | undefined;
}

/** The columns of the record that a new file belongs to: for a lead that was merged, the lead that remains. */
export async function entityColumns(
  { ids }: Tools,
  { tx, tenantId, entity }: { tx: Tx; tenantId: number; entity: Entity },
): Promise<{ entityType: string | null; entityId: string | null; mergedFromEntityId?: string }> {
  const { entityType = null, entityId = null } = entity;
  const asGiven = { entityType, entityId };
  const leadId = entityType === ofLeads && entityId !== null && ids.decode(ofLeads, tenantId, entityId);
  if (!leadId) return asGiven;
  const current = (await currentLeads(tx, [leadId])).get(leadId) ?? leadId;
  if (current === leadId) return asGiven;
  return { entityType, entityId: ids.encode(ofLeads, tenantId, current), mergedFromEntityId: entityId };
}

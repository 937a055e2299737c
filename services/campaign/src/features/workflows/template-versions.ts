import { nodeData } from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import type { Tools, Tx } from '../../handler.ts';
import type { StoredGraph } from '../engine/graph.ts';
import type { TemplateVersions } from '../engine/versions.ts';
import { findTemplate } from '../templates/template.ts';

const kinds = { email: 'e-mails', sms: 'SMS' } as const;

/**
 * The current versions of the templates that message nodes name, by public id, and the nodes whose template cannot be
 * used: it must be an active one of their channel.
 */
export async function readTemplateVersions(
  { ids }: Pick<Tools, 'ids'>,
  tx: Tx,
  tenantId: number,
  { nodes }: StoredGraph,
): Promise<{ templateVersions: TemplateVersions; errors: FieldError[] }> {
  const errors: FieldError[] = [];
  const templateVersions: Record<string, number> = {};
  for (const { nodeId, type, data } of nodes) {
    if (type !== 'email' && type !== 'sms') continue;
    const code = nodeData[type].safeParse(data ?? {}).data?.templateId;
    if (code === undefined) continue;
    const id = ids.decode('template', tenantId, code);
    const template = id === undefined ? undefined : await findTemplate(tx, id);
    if (template?.channel === type && template.status === 'active') templateVersions[code] = template.contentVersion;
    else
      errors.push({
        field: `nodes.${nodeId}.templateId`,
        message: `Must be the id of an active template for ${kinds[type]}`,
      });
  }
  return { templateVersions, errors };
}

import type { FieldMapping } from '../../connectors/connector.ts';
import type { ExternalRecord } from '../../connectors/sync.ts';

/** Sets the mapped fields of a record. */
export function applyMappings(record: ExternalRecord, _mappings: readonly FieldMapping[]): ExternalRecord {
  return record;
}

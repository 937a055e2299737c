/** Of the given fields, those whose value differs from the record's: as the new values, and as the audit log shows them. */
export function diff<Given extends object>(record: object, given: Given) {
  const now = record as Record<string, unknown>;
  const changed = Object.entries(given).filter(
    ([field, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(now[field]),
  );
  return {
    isEmpty: changed.length === 0,
    values: Object.fromEntries(changed) as Partial<Given>,
    audit: Object.fromEntries(changed.map(([field, to]) => [field, { from: now[field], to }])),
  };
}

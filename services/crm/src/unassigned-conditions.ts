/** The condition of the filter `unassigned` of a list, for the field with the user who works on a record. */
export function unassignedConditions(
  field: 'assignedTo' | 'ownerId',
  unassigned: boolean | undefined,
): Record<string, unknown>[] {
  return unassigned ? [{ [field]: null }] : [];
}

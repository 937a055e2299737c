/** The name on the certificate of an erased learner. No person is named so: names consist of a first and a last name. */
export const erasedName = 'Erased';

/** Whether the data of the learner was erased. */
export function isErased({ learnerName }: { learnerName: string }): boolean {
  return learnerName === erasedName;
}

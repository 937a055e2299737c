import type { Definition } from '../custom-fields/custom-field.ts';
import { customField, type ImportTarget } from './target.ts';

/**
 * The field of each column, by their names; a field is given to one column: the first that has its own name, else the
 * first that has another name for it. Columns of custom fields have the names of our exports, or the key or label of a
 * definition.
 */
export function guessMapping(
  { fields }: ImportTarget,
  columns: readonly string[],
  definitions: readonly Pick<Definition, 'key' | 'label'>[],
): Record<string, string | null> {
  const { customFields, ...own } = fields;
  const custom = customFields ? columns.filter((column) => customField.test(column)) : [];
  const defined = definitions.map(({ key, label }): [string, string[]] => [`customFields.${key}`, [key, label]]);
  const exact = new Map([...custom, ...Object.keys(own)].map((field) => [normalized(field), field]));
  // Later entries replace earlier ones: a name of a field of the record means that field.
  const synonyms = new Map(
    [...(customFields ? defined : []), ...Object.entries(own)].flatMap(([field, names]) =>
      names.map((name) => [normalized(name), field]),
    ),
  );
  const unusable = isOwnExport(columns) ? ofOwnExport : [];
  const guessed = new Map<string, string>();
  const used = new Set<string>();
  for (const fieldOf of [exact, synonyms])
    for (const column of columns) {
      const field = fieldOf.get(normalized(column));
      if (!field || used.has(field) || guessed.has(column) || unusable.includes(column)) continue;
      used.add(field);
      guessed.set(column, field);
    }
  return Object.fromEntries(columns.map((column) => [column, guessed.get(column) ?? null]));
}

/**
 * Columns of our own exports that no import can use, although files of other systems have columns of the same name: `id`
 * is the id of Tandem, which as an external id would replace that of the other system, and `address` is an object as JSON.
 */
const ofOwnExport = ['id', 'address'];

const ownColumns = ['tenantId', 'createdAt', 'updatedAt', 'createdBy', 'customFields'];

/** Whether a file is one of our exports, told by columns beside `id` that have exactly the names of our fields. */
function isOwnExport(columns: readonly string[]): boolean {
  return columns.includes('id') && columns.some((column) => ownColumns.includes(column) || customField.test(column));
}

const umlauts: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

function normalized(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[äöüß]/g, (letter) => umlauts[letter] as string)
    .normalize('NFD')
    .replaceAll(/[^a-z0-9]/g, '');
}

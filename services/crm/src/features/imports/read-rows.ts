import { exceedsBytes, type FieldError, idsInText, type ResourceType } from '@tandem/contract';
import { importLimits } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import { ApiError, readFields } from '@tandem/service';
import type { z } from 'zod';
import type { Definition } from '../custom-fields/custom-field.ts';
import { writeOf } from '../custom-fields/write-values.ts';
import type { Defined } from './definitions.ts';
import { omissible } from './new-rows.ts';
import type { Checked, Dedupe, ImportTarget, Known, Texts } from './target.ts';

/** A stored row: its number in the file, and its cells. */
export type StoredRow = [number: number, ...cells: string[]];

/** An error of a row, as the error file has it. */
export interface RowError {
  row: number;
  column: string;
  field: string;
  value: string;
  reason: string;
}

interface Plan {
  target: ImportTarget;
  columns: readonly string[];
  mapping: Record<string, string | null>;
  defaults: Record<string, unknown>;
  dedupe: Dedupe;
  tenantId: number;
  defined: Defined;
  ids: IdCodec;
}

// Of a longer value the beginning shows which one it is.
const shownValueMax = 200;
const errorsPerRowMax = 20;

/** Reads rows by the mapping of an import. */
export function rowReader({ target, columns, mapping, defaults, dedupe, tenantId, defined, ids }: Plan) {
  const fields = columns.map((column) => mapping[column] ?? null);
  const columnOf = new Map(fields.flatMap((field, index) => (field ? [[field, columns[index] as string]] : [])));
  const optional: Record<PropertyKey, true> = Object.fromEntries(
    omissible(target, dedupe).map((field) => [field, true]),
  );
  const body = (target.row.body as z.ZodObject).partial(optional as Record<never, true>);
  const usual: Texts = Object.fromEntries(Object.entries(defaults).map(([field, value]) => [field, String(value)]));

  const textsOf = ([, ...cells]: StoredRow): { texts: Texts; given: Set<string> } => {
    const texts: Texts = {};
    for (const [index, field] of fields.entries()) {
      const cell = cells[index];
      if (field && cell) texts[field] = cell;
    }
    return { texts: { ...usual, ...texts }, given: new Set(Object.keys(texts)) };
  };

  return {
    textsOf,
    /** The errors of a row as lines of the error file. */
    toRowErrors(stored: StoredRow, errors: readonly FieldError[]): RowError[] {
      const { texts } = textsOf(stored);
      return errors.slice(0, errorsPerRowMax).map(({ field, message }) => {
        const mapped = [field, field.split('.')[0] as string, 'fullName'].find((one) => one in texts) ?? field;
        const value = texts[mapped] ?? '';
        return {
          row: stored[0],
          column: columnOf.get(mapped) ?? '',
          field,
          value: value.slice(0, shownValueMax).toWellFormed(),
          reason: message.replace(idsInText, (_, type: ResourceType, id: string) =>
            ids.encode(type, tenantId, Number(id)),
          ),
        };
      });
    },
    /** Checks a row by the rules of the operation that creates one record. */
    read(stored: StoredRow, known: Known): { record?: Checked<unknown>; errors: FieldError[] } {
      const { texts, given } = textsOf(stored);
      const tooLong = Object.entries(texts).filter(([, text]) => text.length > importLimits.cell);
      const errors = tooLong.map(([field]) => ({
        field,
        message: `Must be at most ${importLimits.cell} characters`,
      }));
      const input = target.toBody(texts, { tenantId, defined, known, errors });
      const read = readFields(body, input, errors);
      const wrong = new Set(errors.map(({ field }) => field));
      const more = customErrors(input['customFields'], { ...defined, dedupe });
      errors.push(...more.filter(({ field }) => !wrong.has(field)));
      if (errors.length) return { errors };
      return { record: { row: stored[0], body: read, given }, errors };
    },
  };
}

/** The errors of custom fields. A row that may update a record can lack required fields, which the record has. */
function customErrors(
  values: unknown,
  { definitions, dedupe }: { definitions: readonly Definition[]; dedupe: Dedupe },
): FieldError[] {
  const after = (values ?? {}) as Record<string, unknown>;
  try {
    writeOf(definitions, { after, ...(dedupe.action === 'update' && { before: {} }) });
    return [];
  } catch (error) {
    if (error instanceof ApiError) return error.errors;
    throw error;
  }
}

const previewBytesMax = 20_000;

/** The texts of a row for the preview; those of a very long row are cut. */
export function previewTexts(texts: Texts): Texts {
  if (!exceedsBytes(JSON.stringify(texts), previewBytesMax)) return texts;
  return Object.fromEntries(
    Object.entries(texts).map(([field, text]) => [field, text.slice(0, shownValueMax).toWellFormed()]),
  );
}

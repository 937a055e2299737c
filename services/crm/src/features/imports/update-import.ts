import { type imports, importUpdated } from '@tandem/crm-contract';
import { diff, fail, toJsonColumn, transitionError } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { fieldsOf } from './definitions.ts';
import { actorColumn, lockImport, startCheck, toColumn, writeImport } from './import.ts';
import { checkSettings, type ImportTarget } from './target.ts';

export const updateImport =
  (target: ImportTarget): Handler<typeof imports.updateLeadImport> =>
  async ({ params, body, caller, tx, emit, ifMatch, schedule }) => {
    const found = await lockImport(tx, target.type, params.id);
    ifMatch(found);
    const { status, allowedTransitions, columns } = found;
    if (status !== 'mapped' && status !== 'validated')
      throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
    const { mapping = found.mapping, dedupe = found.dedupe, defaults = found.defaults } = body;
    target.checkCaller?.(caller, fieldsOf({ mapping, defaults }));
    checkSettings(target, { mapping, dedupe, defaults, columns });
    const { isEmpty, audit } = diff(found, { mapping, dedupe, defaults });
    if (isEmpty) return found;
    // A check that runs already sees the new version at its end, and begins again.
    const record = await writeImport(tx, found.id, {
      status: 'mapped',
      mapping: toJsonColumn(mapping),
      dedupe: toColumn(dedupe),
      defaults: toJsonColumn(defaults),
      actor: actorColumn(caller),
      ...(status === 'validated' && {
        jobId: await startCheck({ tx, schedule }, target, { caller, importId: found.id }),
      }),
    });
    emit(importUpdated, { data: { importId: found.id }, record, changes: audit });
    return record;
  };

import { diff, fail } from '@tandem/service';
import { type courses, courseUpdated } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { changeContent } from '../content/change-content.ts';
import { examineSkipped } from '../enrollment-rules/examine-skipped.ts';
import { rejectSelfJudge } from '../progress/teacher.ts';
import { asCourse, certificateOf, lockCourse, toCertificateColumn } from './course.ts';
import { lockPrerequisites, writePrerequisites } from './prerequisites.ts';
import { checkFiles, checkPassScore, type FileCheck } from './publishable.ts';
import { setStatus } from './set-status.ts';

// These decide who passes the course.
const judged = ['passScore', 'prerequisiteCourseIds', 'validDays'] as const;

export const updateCourse = (
  tools: Pick<Tools, 'peers'>,
): Handler<typeof courses.updateCourse, FileCheck | undefined> => ({
  async check({ params, body, caller, tx }) {
    return body.status === 'published' ? checkFiles(tools, tx, { courseId: params.id, caller }) : undefined;
  },
  async run({ params, body, caller, tx, emit, schedule, ifMatch, found: files }) {
    if (body.prerequisiteCourseIds) await lockPrerequisites(tx);
    const row = await lockCourse(tx, params.id);
    const before = await asCourse(tx, row);
    ifMatch(before);
    if (files && files.version !== row.version) throw fail('course_changed');
    const { status, certificate, prerequisiteCourseIds: requested, ...fields } = body;
    const { isEmpty, values, audit } = diff(before, {
      ...fields,
      certificate: certificateOf(certificate),
      prerequisiteCourseIds: requested && [...requested].sort((one, other) => one - other),
    });
    rejectSelfJudge(
      caller,
      row,
      judged.find((field) => values[field] !== undefined),
    );
    let course = before;
    if (!isEmpty) {
      const { certificate: texts, prerequisiteCourseIds: required, ...changed } = values;
      // In the order of the request, because errors name the position there.
      if (required) await writePrerequisites(tx, row.id, requested ?? []);
      const written = await changeContent({ tx, schedule }, row, {
        // Learners who have completed every lesson may have reached a lower mark already.
        isStructure: values.passScore !== undefined || values.sequential !== undefined,
        data: { ...changed, ...(texts !== undefined && { certificate: toCertificateColumn(texts) }) },
      });
      if (typeof values.passScore === 'number' && row.status !== 'draft') await checkPassScore(tx, row.id, 'passScore');
      if (values.audience || required) await examineSkipped({ tx, schedule }, written);
      course = await asCourse(tx, written);
      emit(courseUpdated, { data: { courseId: course.id }, record: course, changes: audit });
    }
    if (status === undefined || status === course.status) return course;
    return setStatus({ tx, emit, schedule }, course, { to: status, files });
  },
});

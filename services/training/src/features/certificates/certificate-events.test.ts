import * as contract from '@tandem/training-contract';

// Caused by time, or by another event: no operation of training names them.
const causedByJobs = [
  'training.certificate.expired',
  'training.certificate.expiring',
  'training.enrollment.due',
  'training.enrollment.expired',
  'training.enrollment.expiring',
  'training.enrollment.overdue',
  'training.learner.notified',
];

const rows = Object.values(contract.training);
const namedBy = (row: object) =>
  'emits' in row ? (row.emits as readonly { name: string }[]).map(({ name }) => name) : [];

it('every event is named by the operations that cause it', () => {
  const declared = Object.values(contract).flatMap((one) =>
    typeof one === 'object' && 'name' in one && 'action' in one ? [String(one.name)] : [],
  );
  const named = new Set(rows.flatMap(namedBy));
  expect(declared.length).toBeGreaterThan(30);
  expect(declared.filter((name) => !named.has(name)).sort()).toEqual(causedByJobs);
});

it('an operation that can complete a course can issue its certificate', () => {
  const completing = rows.map(namedBy).filter((names) => names.includes(contract.courseCompleted.name));
  expect(completing.length).toBeGreaterThan(5);
  for (const names of completing)
    expect(names).toEqual(expect.arrayContaining([contract.lessonCompleted.name, contract.certificateIssued.name]));
});

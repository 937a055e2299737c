import { name } from '@tandem/contract';
import { z } from 'zod';

export const formFieldTypes = ['text', 'email', 'phone', 'number', 'select', 'checkbox', 'textarea', 'date'] as const;

/** Maximum numbers of fields of a form, and of options of a field. */
export const formFieldsMax = 50;
export const formOptionsMax = 100;

export const FormFieldType = z.enum(formFieldTypes).meta({ description: 'The kind of input', examples: ['email'] });

const FieldKey = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,49}$/, {
    error: 'Must begin with a letter and have at most 50 letters, digits and underscores',
  })
  .meta({ description: 'Identifies the field in submissions', examples: ['email'] });
const Target = z
  .string()
  .regex(/^(email|firstName|lastName|phone|customFields\.[a-zA-Z][a-zA-Z0-9_]{0,63})$/, {
    error: 'Must be email, firstName, lastName, phone or customFields.<key>',
  })
  .meta({ description: 'The field of the lead that gets the value', examples: ['email'] });

export const askRules = ['always', 'when_unknown'] as const;
export const AskRule = z.enum(askRules).meta({
  description:
    'Which visitors are asked: `always`, everybody; `when_unknown`, everybody but those whose answer is known. A visitor is known who comes by a tracked link of a message. An answer is known if the lead has a value in the field that `mapsTo` names; without `mapsTo`, if the lead has answered the field in a submission of this form',
  examples: ['always'],
});

export const FormField = z.object({
  key: FieldKey,
  label: name(200).meta({ description: 'The text beside the input', examples: ['E-mail address'] }),
  type: FormFieldType,
  required: z.boolean().describe('Whether a value is required. The field of the e-mail address always is'),
  options: z.array(name(200)).meta({ description: 'The choices of a select field', examples: [[]] }),
  mapsTo: Target.nullable(),
  ask: AskRule.default('always'),
});

const NewField = FormField.partial({ label: true, required: true, options: true, mapsTo: true, ask: true });
type NewField = z.output<typeof NewField>;

const typeOfTarget: Record<string, readonly string[]> = {
  email: ['email'],
  phone: ['phone'],
  firstName: ['text'],
  lastName: ['text'],
};

function checkFields(fields: readonly NewField[], context: z.RefinementCtx): void {
  const report = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
  for (const [index, { key, type, options = [], mapsTo, ask }] of fields.entries()) {
    const before = fields.slice(0, index);
    if (before.some((other) => other.key === key)) report([index, 'key'], 'Must be unique; another field has this key');
    if (type === 'select' && !options.length) report([index, 'options'], 'Must have at least one option');
    if (type !== 'select' && options.length)
      report([index, 'options'], 'Must be empty; only select fields have options');
    if (new Set(options).size < options.length) report([index, 'options'], 'Must not have an option twice');
    if (!mapsTo) continue;
    if (before.some((other) => other.mapsTo === mapsTo))
      report([index, 'mapsTo'], 'Must be unique; another field maps to it');
    const types = Object.hasOwn(typeOfTarget, mapsTo) ? typeOfTarget[mapsTo] : undefined;
    if (types && !types.includes(type)) report([index, 'mapsTo'], `Must be a field of type ${types.join(' or ')}`);
    if (mapsTo === 'email' && ask === 'when_unknown')
      report([index, 'ask'], 'Must be always: the e-mail address tells whose submission it is');
  }
}

const Options = z
  .array(name(200))
  .max(formOptionsMax, { error: `Must have at most ${formOptionsMax} options` })
  .meta({ description: `The choices of a select field, at most ${formOptionsMax}`, examples: [[]] });
export const FormFields = z
  .array(NewField.extend({ options: Options.optional() }))
  .max(formFieldsMax, { error: `Must have at most ${formFieldsMax} fields` })
  .superRefine(checkFields)
  .meta({
    description: `The fields, at most ${formFieldsMax}. The label is made from the key if omitted.`,
    examples: [
      [
        {
          key: 'email',
          label: 'E-mail address',
          type: 'email',
          required: true,
          options: [],
          mapsTo: 'email',
          ask: 'always',
        },
        {
          key: 'company',
          label: 'Company',
          type: 'text',
          required: false,
          options: [],
          mapsTo: 'customFields.company',
          ask: 'when_unknown',
        },
      ],
    ],
  });
export const AskAtMost = z
  .int()
  .min(1, { error: 'Must be at least 1, or null for all' })
  .max(formFieldsMax, { error: `Must be at most ${formFieldsMax}` })
  .meta({
    description:
      'How many fields with the rule `when_unknown` a page shows at once: the first ones whose answers are not known. The others follow in later visits, once these are answered. Null: all. Needs at least one such field',
    examples: [2],
  });

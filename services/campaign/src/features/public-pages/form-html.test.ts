import { formScript } from './form-html.ts';

interface FakeInput {
  name: string;
  type: string;
  value: string;
  checked: boolean;
  dataset: { type: string };
  attributes: Map<string, string>;
  focused: boolean;
}

function anInput(name: string, type: string, value: string | boolean): FakeInput & Record<string, unknown> {
  const attributes = new Map<string, string>();
  const input = {
    name,
    type: type === 'checkbox' ? 'checkbox' : 'text',
    value: typeof value === 'string' ? value : '',
    checked: value === true,
    dataset: { type },
    attributes,
    focused: false,
    setAttribute: (key: string, text: string) => attributes.set(key, text),
    removeAttribute: (key: string) => attributes.delete(key),
    focus: () => {
      input.focused = true;
    },
  };
  return input;
}

/** Runs the script of a page in a minimal browser, submits the form, and returns what was sent and is shown then. */
async function submitted(status: number, reply: object, search = '') {
  const inputs = [
    anInput('email', 'email', 'ada@example'),
    anInput('size', 'number', '3'),
    anInput('terms', 'checkbox', true),
  ];
  const places = inputs.map(({ name }) => ({
    id: `${name}-error`,
    textContent: 'old',
    dataset: { error: `fields.${name}` },
  }));
  const button = { disabled: false };
  const message = {
    textContent: '',
    isBad: false,
    classList: { toggle: (_: string, on: boolean) => (message.isBad = on) },
    focus: () => undefined,
  };
  const listeners: ((event: object) => Promise<void>)[] = [];
  const requests: [string, Record<string, unknown>][] = [];
  const visited: string[] = [];
  const form = {
    hidden: false,
    dataset: {
      action: '/v1/public/forms/x/submissions',
      token: 'shown',
      check: 'Please check',
      unreachable: 'No server',
    },
    elements: { honeypot: { value: '' } },
    addEventListener: (_: string, listener: (event: object) => Promise<void>) => listeners.push(listener),
    querySelectorAll: (selector: string) =>
      selector === '[data-type]'
        ? inputs
        : selector === '[data-error]'
          ? places
          : inputs.filter(({ attributes }) => attributes.size),
    querySelector: (selector: string) => {
      if (selector === 'button') return button;
      if (selector === '[data-consent]') return { checked: true };
      return inputs.find(({ name }) => selector === `[aria-describedby="${name}-error"]`) ?? null;
    },
  };
  const browser = {
    document: { querySelector: (selector: string) => (selector === '.tp-form form' ? form : message) },
    location: { search, assign: (url: string) => visited.push(url) },
    window: {
      fetch: async (url: string, request: { body: string }) => {
        if (status === 0) throw new Error('offline');
        requests.push([url, JSON.parse(request.body)]);
        return { ok: status < 300, json: async () => reply };
      },
    },
  };
  new Function(...Object.keys(browser), formScript)(...Object.values(browser));
  await listeners[0]?.({ preventDefault: () => undefined });
  return { requests, visited, form, button, message, inputs, errors: places.map(({ textContent }) => textContent) };
}

it('sends the values by type, the consent, and the UTM parameters and the referral code of the page', async () => {
  const reply = { message: 'Thank you', data: { confirmationRequired: false, redirectUrl: null } };
  const { requests, form, message } = await submitted(201, reply, '?utm_source=ad&utm_term=crm&ref=ADA-2026&x=1');
  expect(requests).toEqual([
    [
      '/v1/public/forms/x/submissions',
      {
        fields: { email: 'ada@example', size: 3, terms: true },
        honeypot: '',
        renderToken: 'shown',
        consent: true,
        utm: { source: 'ad', term: 'crm' },
        referralCode: 'ADA-2026',
      },
    ],
  ]);
  expect([form.hidden, message.textContent, message.isBad]).toEqual([true, 'Thank you', false]);
});

it('opens the address of the form, but not before the person has read that a confirmation is needed', async () => {
  const data = { confirmationRequired: false, redirectUrl: 'https://example.com/thanks' };
  expect((await submitted(201, { message: 'Thank you', data })).visited).toEqual(['https://example.com/thanks']);
  const waiting = await submitted(201, { message: 'Confirm', data: { ...data, confirmationRequired: true } });
  expect([waiting.visited, waiting.message.textContent]).toEqual([[], 'Confirm']);
});

it('shows each error below its input, marks the inputs and puts the focus on the first', async () => {
  const errors = [
    { field: 'fields.email', message: 'Must be a valid e-mail address' },
    { field: 'fields.terms', message: 'Is required' },
  ];
  const {
    errors: shown,
    inputs,
    message,
    button,
    form,
  } = await submitted(422, { message: 'Validation failed', errors });
  expect(shown).toEqual(['Must be a valid e-mail address', '', 'Is required']);
  expect(inputs.map(({ attributes, focused }) => [attributes.get('aria-invalid'), focused])).toEqual([
    ['true', true],
    [undefined, false],
    ['true', false],
  ]);
  expect([message.textContent, message.isBad, button.disabled, form.hidden]).toEqual([
    'Please check',
    true,
    false,
    false,
  ]);
});

it('shows any other error, and lets the person try again', async () => {
  const refused = await submitted(429, { message: 'Try again tomorrow' });
  expect([refused.message.textContent, refused.button.disabled]).toEqual(['Try again tomorrow', false]);
  const offline = await submitted(0, {});
  expect([offline.message.textContent, offline.button.disabled, offline.form.hidden]).toEqual([
    'No server',
    false,
    false,
  ]);
});

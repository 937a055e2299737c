// What search offers.
export const search = {};

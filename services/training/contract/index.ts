// What training offers.
export const training = {};

/** Of what was entered, only what differs from what was there when the form opened: a colleague's other changes stay. Pure. */
export function changedOf<T extends object>(opened: T, entered: T): Partial<T> {
  const changed: Partial<T> = {};
  for (const name of Object.keys(entered) as Array<keyof T>)
    if (entered[name] !== opened[name]) changed[name] = entered[name];
  return changed;
}

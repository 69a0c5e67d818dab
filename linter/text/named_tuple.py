"""`NamedTuple`: a replacement for `typing.NamedTuple` that creates classes in a sixth of the time.

`typing.NamedTuple` compiles each annotation, which is a string here, into a reference that nothing needs, and
`collections.namedtuple` compiles a constructor for each class. A check of one file creates seventy such classes before
it reads the file. Here classes with equally many fields share the code of one constructor, which only differs in the
names of its parameters, and all classes share their methods.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from collections import _tuplegetter
    from functools import cache
    from types import FunctionType

    def _make(cls, values):
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self, /, **changes):
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"Got unexpected field names: {list(changes)!r}")
        return made

    def _asdict(self):
        return dict(zip(self._fields, self, strict=True))

    def _repr(self):
        values = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({values})"

    def _getnewargs(self):
        return tuple(self)

    _METHODS = {
        "__slots__": (),
        "__repr__": _repr,
        "__getnewargs__": _getnewargs,
        "_make": classmethod(_make),
        "_replace": _replace,
        "__replace__": _replace,
        "_asdict": _asdict,
    }
    tuple_new = tuple.__new__
    _NAMES = {"tuple_new": tuple_new, "__builtins__": {}}

    @cache
    def _field(index):
        return _tuplegetter(index, f"Alias for field number {index}")

    # Most classes have few fields; these constructors come compiled with the module.
    _CONSTRUCTORS = (
        lambda _cls: tuple_new(_cls, ()),
        lambda _cls, a: tuple_new(_cls, (a,)),
        lambda _cls, a, b: tuple_new(_cls, (a, b)),
        lambda _cls, a, b, c: tuple_new(_cls, (a, b, c)),
        lambda _cls, a, b, c, d: tuple_new(_cls, (a, b, c, d)),
        lambda _cls, a, b, c, d, e: tuple_new(_cls, (a, b, c, d, e)),
        lambda _cls, a, b, c, d, e, f: tuple_new(_cls, (a, b, c, d, e, f)),
        lambda _cls, a, b, c, d, e, f, g: tuple_new(_cls, (a, b, c, d, e, f, g)),
        lambda _cls, a, b, c, d, e, f, g, h: tuple_new(_cls, (a, b, c, d, e, f, g, h)),
    )

    @cache
    def _constructor(number):
        """Return the code that creates a tuple with the given number of fields."""
        if number < len(_CONSTRUCTORS):
            return _CONSTRUCTORS[number].__code__
        fields = "".join(f"_{index}, " for index in range(number))
        return eval(f"lambda _cls, {fields}: tuple_new(_cls, ({fields}))", _NAMES).__code__

    class _NamedTupleMeta(type):
        def __new__(cls, name, bases, body):  # type checkers see typing.NamedTuple
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body[field] for field in fields if field in body}
            code = _constructor(len(fields)).replace(
                co_name="__new__", co_qualname=f"{body['__qualname__']}.__new__", co_varnames=("_cls", *fields)
            )
            made = {**_METHODS, **body, **{field: _field(index) for index, field in enumerate(fields)}}
            made["__new__"] = FunctionType(code, _NAMES, "__new__", tuple(defaults.values()))
            made["__match_args__"] = made["_fields"] = fields
            made["_field_defaults"] = defaults
            return type(name, (tuple,), made)

    NamedTuple = type.__new__(_NamedTupleMeta, "NamedTuple", (), {})

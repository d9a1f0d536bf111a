//! Trees from Python's `ast`.

use crate::python::objects::{Object, Path, Walk};
use crate::python::tree::TreeData;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyType};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Which syntax-tree nodes become nodes of the tree.
pub(super) struct AstChoice<'a, 'py> {
    /// The class `ast.AST`.
    pub(super) base: &'a Bound<'py, PyType>,
    /// Names of fields that are left out: those that never hold nodes, or unwanted ones.
    pub(super) without: &'a Bound<'py, PyAny>,
    /// Called with each node for its label; by default the name of its class.
    pub(super) label: Option<&'a Object<'py>>,
}

/// What is known about a class of objects inside a syntax tree.
enum AstKind<'py> {
    Node { name: Object<'py>, fields: Vec<Bound<'py, PyString>> },
    Value,
}

/// The classes that a syntax tree holds, each looked up once.
#[derive(Default)]
struct AstKinds<'py> {
    /// Where the kind of a class is, by the address of the class.
    places: HashMap<usize, usize, BuildHasherDefault<AddressHasher>>,
    kinds: Vec<(AstKind<'py>, Bound<'py, PyType>)>,
}

impl<'py> AstKinds<'py> {
    fn place(&mut self, object: &Object<'py>, choice: &AstChoice<'_, 'py>) -> PyResult<usize> {
        let address = object.get_type_ptr() as usize;
        if let Some(&place) = self.places.get(&address) {
            return Ok(place);
        }
        let class = object.get_type();
        let kind = if class.is_subclass(choice.base)? {
            let py = class.py();
            let fields: Vec<Bound<'py, PyString>> =
                class.getattr(intern!(py, "_fields"))?.extract()?;
            let mut wanted = Vec::with_capacity(fields.len());
            for field in fields {
                if !choice.without.contains(&field)? {
                    wanted.push(field);
                }
            }
            AstKind::Node { name: class.getattr(intern!(py, "__name__"))?, fields: wanted }
        } else {
            AstKind::Value
        };
        // The class is kept, so that its address stays its own.
        self.kinds.push((kind, class));
        self.places.insert(address, self.kinds.len() - 1);
        Ok(self.kinds.len() - 1)
    }
}

/// Addresses differ in their middle bits; one multiplication spreads them.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_usize(usize::from(byte));
        }
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (self.0 ^ address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(20);
    }
}

/// Builds a tree from a node of Python's `ast`.
pub(super) fn from_ast<'py>(root: &Object<'py>, choice: &AstChoice<'_, 'py>) -> PyResult<TreeData> {
    let mut walk = Walk::new(root.py());
    let mut path = Path::default();
    let mut kinds = AstKinds::default();
    let mut below: Vec<Object<'py>> = Vec::new();
    walk.waiting.push((root.clone(), -1));
    while let Some((object, parent)) = walk.next()? {
        let place = kinds.place(&object, choice)?;
        let AstKind::Node { name, fields } = &kinds.kinds[place].0 else {
            continue; // only nodes wait
        };
        let node = match choice.label {
            None => walk.add(name, parent)?,
            Some(label) => walk.add(&label.call1((&object,))?, parent)?,
        };
        for field in fields {
            // A field that was never set is as good as None.
            match object.getattr_opt(field)? {
                Some(value) if !value.is_none() => below.push(value),
                _ => {}
            }
        }
        let first = walk.waiting.len();
        for value in below.drain(..) {
            if let Ok(list) = value.cast::<PyList>() {
                for item in list.iter() {
                    add_ast_child(&mut kinds, item, choice, (&mut walk.waiting, node))?;
                }
            } else {
                add_ast_child(&mut kinds, value, choice, (&mut walk.waiting, node))?;
            }
        }
        walk.waiting[first..].reverse();
        path.enter(object, parent)?;
    }
    walk.finish()
}

fn add_ast_child<'py>(
    kinds: &mut AstKinds<'py>,
    value: Object<'py>,
    choice: &AstChoice<'_, 'py>,
    (waiting, parent): (&mut Vec<(Object<'py>, i32)>, i32),
) -> PyResult<()> {
    let place = kinds.place(&value, choice)?;
    match kinds.kinds[place].0 {
        AstKind::Node { .. } => waiting.push((value, parent)),
        AstKind::Value => {}
    }
    Ok(())
}
